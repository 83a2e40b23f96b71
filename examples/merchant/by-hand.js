import { settle } from './ledger.js';

/**
 * Takes off the page what a person has settled: a held body, by its digest, or an event, by its key.
 *
 * @param {import('./database.js').Query} query
 * @param {string} what
 * @param {string} why
 */
export async function dismiss(query, what, why) {
  const dismissed = await query(
    `INSERT INTO dismissed (what, why)
     SELECT found, $2 FROM (
       SELECT key FROM event UNION ALL SELECT encode(digest, 'hex') FROM held
     ) AS everything (found) WHERE found = $1
     ON CONFLICT (what) DO UPDATE SET why = excluded.why RETURNING what`,
    [what, why],
  );
  return dismissed.length > 0;
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
    'SELECT digest FROM held WHERE key IS NULL ORDER BY received_at, digest',
  );
  for (const { digest } of digests) {
    const [row] = await query('SELECT body FROM held WHERE digest = $1', [digest]);
    if (!row) continue; // another replay was faster
    const { outcome, key, reason } = await settle(query, /** @type {Uint8Array} */ (row.body), 0);
    if (outcome === 'settled' || outcome === 'repeated') {
      // After a kill in front of this, the next replay finds it `repeated`.
      await query('DELETE FROM held WHERE digest = $1', [digest]);
    }
    print(`refused -> ${outcome}: ${key ?? reason}`);
  }
  await spool?.drain(async (body) => {
    const { outcome, key, reason } = await settle(query, body);
    print(`spooled -> ${outcome}: ${key ?? reason}`);
  });
}
