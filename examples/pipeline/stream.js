// The stream between receivers and settlers: what is in it, how long, and who gives it to whom.
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';

/** @import { NatsConnection } from '@nats-io/transport-node' */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export const STREAM = 'callbacks';
export const CONSUMER = 'settle';

const STREAM_CONFIG = {
  name: STREAM,
  subjects: [`${STREAM}.>`],
  num_replicas: 3, // an acknowledgement says that two of three servers have the body
  // Settled bodies stay for a week. A ledger restored from a backup is brought up to date from them.
  max_age: nanos(7 * DAY),
  max_bytes: 2 ** 30,
  discard: DiscardPolicy.New, // a full stream refuses new bodies; it never drops old ones for them
  // Saves the settlers the copies that come soon after. The guarantee is the ledger's key, not this.
  duplicate_window: nanos(5 * MINUTE),
};

const CONSUMER_CONFIG = {
  durable_name: CONSUMER,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(10 * SECOND), // then another settler gets what a killed one had
  max_deliver: -1, // until it is settled
  max_ack_pending: 10_000, // of all settlers together: more than all their batches
};

/** For as long as the process runs, whichever of the servers are up. @param {string} servers */
export function connectTo(servers) {
  return connect({
    servers: servers.split(','),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 5 * SECOND, // so that a server that hangs is left, too
  });
}

/**
 * The consumer; it and the stream are created unless they exist. Waits for servers that can do so:
 * to create a stream takes all three, to find one takes two.
 *
 * @param {NatsConnection} connection
 */
export async function openConsumer(connection) {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: SECOND });
  for (;;) {
    try {
      await manager.streams.add(STREAM_CONFIG);
      const info = await manager.consumers.add(STREAM, CONSUMER_CONFIG);
      return jetstream(connection).consumers.getConsumerFromInfo(info);
    } catch (error) {
      console.error(`No stream yet: ${error}`);
      await sleep(250);
    }
  }
}
