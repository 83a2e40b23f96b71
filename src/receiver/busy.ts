/** Names of saved bodies in progress, which no round takes. */
export interface Busy {
  readonly has: (name: string) => boolean;
  readonly enter: (name: string) => void;
  readonly leave: (name: string) => void;
}

/** Counts, because two deliveries of one body have the same name. */
export function createBusy(): Busy {
  const counts = new Map<string, number>();
  return {
    has: (name) => counts.has(name),
    enter(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    leave(name) {
      const left = (counts.get(name) ?? 1) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    },
  };
}
