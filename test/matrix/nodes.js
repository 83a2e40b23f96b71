/** The versions of Node.js on which everything must hold: the oldest supported one first. */
export const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];
