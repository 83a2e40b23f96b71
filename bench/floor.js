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
 * @param {object} notification What ours makes of it: the exact amounts.
 */
export function floorOf({ kind, text, isParsed, isExact }, notification) {
  const amounts = kind === 'deposit' ? depositAmounts : withdrawalAmounts;
  if (isParsed) {
    const fields = JSON.parse(text);
    return () => amounts(fields);
  }
  if (isExact) {
    // The literals stand ready: reading them out of the text is what the floor leaves out.
    const literals = JSON.parse(JSON.stringify(notification));
    return () => [JSON.parse(text), amounts(literals)];
  }
  return () => amounts(JSON.parse(text));
}
