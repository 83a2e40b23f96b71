import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countHeld } from './report.js';

/** @import { Settlement } from '../ledger.js' */
/** @import { Database } from '../database.js' */
/** @import { Spool } from '../spool.js' */
/** @typedef {ReturnType<typeof createMetrics>} Metrics */

/**
 * Counts since the start of this process, and what waits for a person. Labels have few values: a
 * fault's field is always a documented one.
 *
 * @param {Database} database
 * @param {Spool} spool
 */
export function createMetrics(database, spool) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const deliveries = new Counter({
    name: 'merchant_deliveries_total',
    help: 'Bodies received, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  const faults = new Counter({
    name: 'merchant_faults_total',
    help: 'Faults for which bodies were refused.',
    labelNames: ['code', 'field'],
    registers,
  });
  const warnings = new Counter({
    name: 'merchant_warnings_total',
    help: 'Warnings of the parser about bodies that were settled.',
    labelNames: ['code', 'field'],
    registers,
  });
  new Gauge({
    name: 'merchant_spooled_bodies',
    help: 'Bodies in the spool, which wait for the database.',
    registers,
    async collect() {
      this.set((await spool.status()).bodies);
    },
  });
  new Gauge({
    name: 'merchant_held_bodies',
    help: 'Bodies that a person must settle; absent while the database is down.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset();
      const counts = await countHeld(database.query).catch(() => ({}));
      for (const [kind, count] of Object.entries(counts)) this.set({ kind }, Number(count));
    },
  });

  return {
    /** @param {Settlement} settlement */
    count(settlement) {
      deliveries.inc({ outcome: settlement.outcome });
      if (settlement.outcome === 'refused')
        for (const fault of settlement.faults) faults.inc(fault);
      if (settlement.outcome === 'settled')
        for (const fault of settlement.warnings) warnings.inc(fault);
    },
    /** @param {'spooled' | 'lost'} outcome */
    countUnsettled: (outcome) => deliveries.inc({ outcome }),
    async render() {
      const headers = { 'content-type': registry.contentType };
      return { status: 200, answer: await registry.metrics(), headers };
    },
  };
}
