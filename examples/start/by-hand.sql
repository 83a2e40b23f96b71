-- Write your event's values here: see the page Runbook.
\set key 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'
\set account 'customer-7'
\set currency 'BTC'
\set amount 0.01523
\set order 'order-10042'

\set ON_ERROR_STOP on
BEGIN;
LOCK TABLE event; -- webhooks wait for COMMIT
UPDATE balance SET amount = balance.amount - event.amount FROM event
  WHERE (balance.account, balance.currency) = (event.account, event.currency) AND key = :'key';
INSERT INTO event VALUES (:'key', :'account', :'currency', :amount, '', :'order')
  ON CONFLICT (key) DO UPDATE SET (account, currency, amount, order_id) =
    (excluded.account, excluded.currency, excluded.amount, excluded.order_id);
INSERT INTO balance VALUES (:'account', :'currency', :amount)
  ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount;
COMMIT;
