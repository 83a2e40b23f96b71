-- Your orders. Your own tables replace this one: customerOf in ledger.ts reads them.
CREATE TABLE orders (
  type text, id text, customer text NOT NULL, PRIMARY KEY (type, id)
);
CREATE TABLE event ( -- never delete a row: the event may arrive again
  key text PRIMARY KEY,
  account text NOT NULL,
  currency text NOT NULL,
  amount numeric NOT NULL, -- without a precision, so that nothing is rounded
  body bytea NOT NULL, -- not jsonb, which rejects some bodies
  order_id text NOT NULL, -- clientPaymentId or clientWithdrawalId
  deliveries bigint NOT NULL DEFAULT 1
);
CREATE INDEX event_order ON event (order_id);
CREATE TABLE balance (
  account text, currency text, amount numeric NOT NULL, PRIMARY KEY (account, currency)
);
