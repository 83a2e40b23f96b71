const body = `{
  "actualDepositAmount": 0.123456789012345678,
  "onChainFee": 0.00000001
}`;
const { actualDepositAmount, onChainFee } = JSON.parse(body);
console.log(actualDepositAmount); // 0.12345678901234568
console.log(`${onChainFee}`); // 1e-8
