import fc from 'fast-check';

// Every run tries the same values, so that no test fails by chance. `.ci/run --full` picks another
// seed each night, and prints it.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
