/** Names of saved bodies in progress, which no round takes. */
export interface Busy {
  readonly has: (name: string) => boolean;
  readonly enter: (name: string) => void;
  readonly leave: (name: string) => void;
}

/** A list and not a set, because two deliveries of one body have the same name. */
export function createBusy(): Busy {
  const names: string[] = [];
  return {
    has: (name) => names.includes(name),
    enter: (name) => names.push(name),
    leave: (name) => names.splice(names.indexOf(name), 1),
  };
}
