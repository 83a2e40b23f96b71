import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { settle } from './ledger.js';

/**
 * Notes what a person has settled: a held body, by its digest, or an event, by its key. It goes off the page,
 * and is never settled again.
 *
 * @param {import('./database.js').Database} database
 * @param {string} what
 * @param {string} why
 * @returns {Promise<string | null>} Why it could not be noted.
 */
export async function dismiss({ transaction }, what, why) {
  return transaction(async (query) => {
    // What is being settled is waited for, and what comes meanwhile waits: it looks here first.
    await query('LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE');
    const known = await query(
      `SELECT CASE WHEN key IS NULL THEN body END AS body FROM held WHERE encode(digest, 'hex') = $1
       UNION ALL SELECT NULL FROM event WHERE key = $1`,
      [what],
    );
    if (known.length === 0) return `neither an event nor the sha256 of a held body: ${what}`;
    const keys = [what];
    const { notification } = safeParseNotification(
      /** @type {Uint8Array} */ (known[0]?.body ?? ''),
    );
    if (notification) {
      // A copy of it in another encoding has another digest.
      const key = idempotencyKey(notification);
      const settled = await query('SELECT FROM event WHERE key = $1', [key]);
      if (settled.length > 0) return `settled already, as ${key}: a replay takes it off the page`;
      keys.push(key);
    }
    await query(
      `INSERT INTO dismissed (what, why) SELECT unnest($1::text[]), $2
       ON CONFLICT (what) DO UPDATE SET why = excluded.why`,
      [keys, why],
    );
    return null;
  });
}

/**
 * Settles the refused bodies again, after an upgrade or a fix, and the spooled ones.
 *
 * @param {import('./database.js').Query} query
 * @param {import('./spool.js').Spool | null} spool Null: a running merchant has it, and settles it.
 * @param {(line: string) => void} print
 */
export async function replay(query, spool, print) {
  const digests = await query(
    `SELECT digest FROM held
     WHERE key IS NULL AND encode(digest, 'hex') NOT IN (SELECT what FROM dismissed)
     ORDER BY received_at, digest`,
  );
  for (const { digest } of digests) {
    const [row] = await query('SELECT body FROM held WHERE digest = $1', [digest]);
    if (!row) continue; // another replay or a delivery was faster
    const body = /** @type {Uint8Array} */ (row.body);
    const outcome = await settleAgain(body, 'refused', 0).catch(String);
    if (outcome === 'settled' || outcome === 'repeated') {
      // After a kill in front of this, the next replay finds it `repeated`.
      await query('DELETE FROM held WHERE digest = $1', [digest]);
    }
  }
  await spool
    ?.drain((body) => settleAgain(body, 'spooled'), Number.POSITIVE_INFINITY)
    .catch((error) => print(`The spool waits: ${error}`));

  /** @param {Uint8Array} body @param {string} was @param {number} [deliveries] */
  async function settleAgain(body, was, deliveries) {
    try {
      const { outcome, key, reason } = await settle(query, body, deliveries);
      print(`${was} -> ${outcome}: ${key ?? reason}`);
      return outcome;
    } catch (error) {
      print(`${was} -> failed: ${error}`); // the others are settled all the same
      throw error;
    }
  }
}
