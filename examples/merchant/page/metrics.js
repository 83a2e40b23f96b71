import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { OPEN } from './report.js';

/** @import { Settlement } from '../ledger.js' */
/** @import { Database } from '../database.js' */
/** @import { Spool } from '../spool.js' */

/**
 * Counts since the start of this process, and what waits for a person. Labels have few values: a
 * fault's field is always a documented one.
 *
 * @param {Database} database
 * @param {Spool} spool
 */
export function createMetrics({ query }, spool) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** @param {string} name @param {string} help @param {string[]} labelNames */
  const counter = (name, help, ...labelNames) =>
    new Counter({ name: `merchant_${name}_total`, help, labelNames, registers });
  const deliveries = counter('deliveries', 'Bodies, by what became of them.', 'outcome');
  const faults = counter('faults', 'Faults of refused bodies.', 'code', 'field');
  const warnings = counter('warnings', 'Warnings about settled bodies.', 'code', 'field');
  new Gauge({
    name: 'merchant_spooled_bodies',
    help: 'Bodies in the spool, which wait for the database.',
    registers,
    collect() {
      this.set(spool.status().bodies);
    },
  });
  new Gauge({
    name: 'merchant_held_bodies',
    help: 'Bodies that a person must settle; absent while the database is down.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset();
      const sql = `SELECT count(key)::int AS conflicts, (count(*) - count(key))::int AS refused
        FROM held WHERE ${OPEN}`;
      const [counts = {}] = await query(sql).catch(() => []);
      for (const [kind, count] of Object.entries(counts)) this.set({ kind }, Number(count));
    },
  });

  return {
    /** @param {Settlement} settlement */
    count(settlement) {
      deliveries.inc({ outcome: settlement.outcome });
      for (const fault of settlement.outcome === 'refused' ? settlement.faults : [])
        faults.inc(fault);
      for (const fault of settlement.outcome === 'settled' ? settlement.warnings : [])
        warnings.inc(fault);
    },
    /** @param {'spooled' | 'lost'} outcome */
    countUnsettled: (outcome) => deliveries.inc({ outcome }),
    async render() {
      const headers = { 'content-type': registry.contentType };
      return { status: 200, answer: await registry.metrics(), headers };
    },
  };
}
