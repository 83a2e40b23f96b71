import fc from 'fast-check';

// So that no mutant is killed by chance.
fc.configureGlobal({ seed: 1 });
