-- Write your event's values here: see the page Runbook.
SET @key = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
SET @customer = '7', @currency = 'BTC', @amount = '0.01523';

BEGIN;
UPDATE balance JOIN event USING (account, currency) SET balance.amount = balance.amount - event.amount
  WHERE event_key = @key;
DELETE FROM event WHERE event_key = @key;
INSERT INTO event VALUES (@key, @customer, @currency, @amount, 1);
INSERT INTO balance SELECT @customer, @currency, @amount FROM dual WHERE ROW_COUNT() = 1
  ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount);
COMMIT;
