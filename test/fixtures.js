import { readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} Expected What must come of a fixture: see fixtures/README.md.
 * @property {'parseDepositReceived' | 'parseWithdrawalBroadcast' | 'parseNotification'} parser
 * @property {{ warnings: { code: string, path: string[] }[] } & Record<string, unknown>} [notification]
 * @property {string} [idempotencyKey]
 * @property {string | null} [notificationType]
 * @property {{ code: string, path: string[] }[]} [issues]
 * @property {Record<string, string>} [reference]
 */

/**
 * @typedef {object} Fixture
 * @property {string} name `deposit-received/sample`
 * @property {Buffer} body The bytes as the service sends them.
 * @property {Expected} expected
 */

const ROOT = new URL('../fixtures/', import.meta.url);

/** @type {Fixture[]} Every fixture, in the order of the folders and of the alphabet. */
export const fixtures = ['deposit-received', 'withdrawal-broadcast', 'invalid'].flatMap(readFolder);

/** @type {Fixture[]} Those that reach the parser as the object that `JSON.parse` makes of them. */
export const parsedFixtures = readFolder('parsed');

/**
 * @param {string} folder
 * @returns {Fixture[]}
 */
function readFolder(folder) {
  return readdirSync(new URL(folder, ROOT))
    .filter((file) => !file.endsWith('.expected.json'))
    .sort()
    .map((file) => {
      const name = `${folder}/${file.replace(/\.\w+$/, '')}`;
      const expected = JSON.parse(readFileSync(new URL(`${name}.expected.json`, ROOT), 'utf8'));
      return { name, body: readFileSync(new URL(`${folder}/${file}`, ROOT)), expected };
    });
}

/**
 * One fixture.
 *
 * @param {string} name
 */
export function fixture(name) {
  const found = fixtures.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no fixture ${name}`);
  return found;
}

const schema = new URL('../schemas/notification.schema.json', import.meta.url);
const { code } = JSON.parse(readFileSync(schema, 'utf8')).$defs.NotificationIssue.properties;

/** Every code of an issue. @type {readonly string[]} */
export const ISSUE_CODES = code.oneOf.map((/** @type {{ const: string }} */ one) => one.const);
