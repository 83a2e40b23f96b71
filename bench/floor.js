// What no exact parser that gives Decimals can beat: the native parser, and the Decimals. Written
// property by property, so that the floor is as low as JavaScript allows.
import { Decimal } from '../dist/index.js';

/** The Decimals of a deposit's amounts. The sample's depeg losses are null. */
function depositAmounts(fields) {
  return [
    new Decimal(fields.actualDepositAmount),
    new Decimal(fields.expectedDepositAmount),
    new Decimal(fields.actualDisplayAmount),
    new Decimal(fields.expectedDisplayAmount),
    new Decimal(fields.displayServiceFee),
    new Decimal(fields.settlementAmount),
    new Decimal(fields.settlementServiceFee),
    new Decimal(fields.onChainFee),
    new Decimal(fields.displayDistributedUserServiceFee),
    new Decimal(fields.settlementDistributedUserServiceFee),
  ];
}

function withdrawalAmounts(fields) {
  return [
    new Decimal(fields.estimatedWithdrawAmount),
    new Decimal(fields.actualWithdrawAmount),
    new Decimal(fields.withdrawFee),
    new Decimal(fields.expectedDisplayAmount),
    new Decimal(fields.actualDisplayAmount),
    new Decimal(fields.displayFee),
    new Decimal(fields.deductedSettlementAmount),
    new Decimal(fields.displayRateDepegLossAmount),
    new Decimal(fields.settlementRateDepegLossAmount),
  ];
}

/**
 * The floor of a valid body, as a function that does it once.
 *
 * @param {import('./bodies.js').Body} body
 * @param {object} notification What ours makes of it.
 * @throws {Error} where it would not give the same Decimals as ours.
 */
export function floorOf({ name, kind, text, isParsed, isExact }, notification) {
  const amounts = kind === 'deposit' ? depositAmounts : withdrawalAmounts;
  // For the exact reader's body the literals stand ready: the floor leaves out how they are read.
  const fields = JSON.parse(isExact ? JSON.stringify(notification) : text);

  const ours = Object.values(notification).filter((value) => value instanceof Decimal);
  if (String(ours.sort()) !== String(amounts(fields).sort())) {
    throw new Error(`${name}: the floor has other amounts than ours`);
  }
  if (isParsed) return () => amounts(fields);
  return isExact ? () => [JSON.parse(text), amounts(fields)] : () => amounts(JSON.parse(text));
}
