import fc from 'fast-check';

// No mutant dies or survives by chance.
fc.configureGlobal({ seed: 1 });
