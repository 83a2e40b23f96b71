// What valibot itself needs of a compiler, without this package.
import * as v from 'valibot';

export const name: string = v.parse(v.string(), 'merchant');
