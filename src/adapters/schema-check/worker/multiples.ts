/** Exact, in decimal digits: in binary fractions 0.3 is not a multiple of 0.1. */
export function isMultiple(value: number, of: number): boolean {
  const [digits, power] = decimal(value);
  const [ofDigits, ofPower] = decimal(of);
  if (ofDigits === 0n) return false;
  const least = Math.min(power, ofPower);
  return (digits * 10n ** BigInt(power - least)) % (ofDigits * 10n ** BigInt(ofPower - least)) === 0n;
}

/** An integer and a power of ten. */
function decimal(value: number): readonly [digits: bigint, power: number] {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
