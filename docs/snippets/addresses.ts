import { joinToTxAddress, splitToTxAddress } from 'payment-notifications';

const { address, destinationTag } = splitToTxAddress('rExampleAddress?dt=007');
console.log(address); // rExampleAddress
console.log(destinationTag); // 007
console.log(joinToTxAddress({ address, destinationTag })); // rExampleAddress?dt=007
