// A merchant's ES module.
import * as entry from 'payment-notifications';
import * as schemas from 'payment-notifications/valibot';
import * as valibot from 'valibot';
import show from './show.cjs';

show(entry, schemas, valibot);
