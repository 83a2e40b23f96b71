-- For MySQL and MariaDB; see schema.sql. Texts are compared by their bytes: by the usual collations,
-- two accounts that differ in case alone, or in a space at the end, would be one.

CREATE TABLE event (
  `key` varbinary(255) PRIMARY KEY,
  account varbinary(1000) NOT NULL,
  currency varbinary(100) NOT NULL,
  amount varchar(160) NOT NULL, -- as text: exact at any size
  body mediumblob NOT NULL
) ENGINE = InnoDB;

CREATE TABLE balance (
  account varbinary(1000),
  currency varbinary(100),
  amount decimal(65, 30) NOT NULL, -- rounds what has more decimals: see mysql.mjs
  PRIMARY KEY (account, currency)
) ENGINE = InnoDB;

CREATE TABLE held (
  digest binary(32) PRIMARY KEY,
  body mediumblob NOT NULL,
  reason text NOT NULL,
  at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB;
