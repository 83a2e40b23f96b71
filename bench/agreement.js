// That the peers do the same job: on each fixture of one notification, every pipeline accepts what
// ours accepts, with the same values, and refuses what ours refuses.
//
// To be called after the timing: code that has seen bodies of many shapes runs slower, and some peers
// suffer more from it than ours.
import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from '../dist/index.js';
import { fixtures } from '../test/fixtures.js';
import { compare, outcomeOfOurs } from './compare.js';
import { pipelines } from './peers.js';

/** Where a peer's users would have to do more than they usually do. */
const LEFT_OUT = [
  'deposit-received/byte-order-mark', // JSON.parse refuses it
  'deposit-received/duplicate-key', // lossless-json refuses it
  'invalid/too-large', // no library has a limit for a body
];

const ENTRIES = {
  parseDepositReceived: { kind: 'deposit', ours: safeParseDepositReceived },
  parseWithdrawalBroadcast: { kind: 'withdrawal', ours: safeParseWithdrawalBroadcast },
};

/** @throws {Error} where a peer and ours disagree. */
export function checkPeers() {
  for (const { name, body, expected } of fixtures) {
    const entry = ENTRIES[expected.parser];
    if (!entry || LEFT_OUT.includes(name)) continue;
    const text = body.toString();
    const outcome = outcomeOfOurs(entry.ours(text));
    for (const pipeline of pipelines) {
      const accepted = accept(pipeline, entry.kind, text);
      const who = `${pipeline.name}, ${name}`;
      if (Boolean(accepted) !== Boolean(outcome.notification)) {
        throw new Error(`${who}: ${accepted ? 'accepted' : 'refused'}, unlike ours`);
      }
      if (accepted) compare(who, accepted, outcome, outcomeOfOurs(entry.ours(JSON.parse(text))));
    }
  }
}

/** What a pipeline makes of a body; null where it refuses it, or fails. */
function accept({ peer, parseText }, kind, text) {
  try {
    const outcome = peer.outcomeOf(peer[kind](parseText(text)));
    return outcome.notification ? outcome : null;
  } catch {
    return null;
  }
}
