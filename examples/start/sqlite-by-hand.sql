-- Write your event's values here: see the page Runbook.
.parameter set @key "'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'"
.parameter set @customer "'7'"
.parameter set @currency "'BTC'"
.parameter set @amount "'0.01523'"

.bail on
.timeout 60000
BEGIN IMMEDIATE;
UPDATE balance SET amount = decimal_sub(balance.amount, event.amount) FROM event
  WHERE (balance.account, balance.currency) = (event.account, event.currency) AND key = @key;
DELETE FROM event WHERE key = @key;
INSERT INTO event VALUES (@key, @customer, @currency, @amount);
INSERT INTO balance SELECT @customer, @currency, @amount WHERE changes() = 1
  ON CONFLICT DO UPDATE SET amount = decimal_add(amount, excluded.amount);
COMMIT;
