/**
 * ISO 4217 without funds, metals, testing codes and withdrawn currencies. `Intl` includes all of these without marking
 * them, and its minor units follow shop prices, which sometimes differ from ISO's.
 */
const codes = `
aed afn all amd aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny cop crc cup
cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod
jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn
nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl
thb tjs tmt tnd top try ttd twd tzs uah ugx usd uyu uzs ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw zwg`;

const currencies: ReadonlySet<string> = new Set(codes.trim().split(/\s+/));
const withoutMinorUnits = new Set('bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));
const ofThousandths = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

/** Returns the code in the form in which it is recorded, or undefined if it is not the code of a currency in use. */
export function currencyOf(code: string): string | undefined {
  // Checked before the case is changed, because some letters of other scripts become one of these letters in lower
  // case: the Kelvin sign becomes a k.
  if (!/^[A-Za-z]{3}$/.test(code)) return undefined;
  const lower = code.toLowerCase();
  return currencies.has(lower) ? lower : undefined;
}

/** `currency` must be in the form of `currencyOf`. Returns 2 for usd, 0 for jpy and 3 for kwd. */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (withoutMinorUnits.has(currency)) return 0;
  return ofThousandths.has(currency) ? 3 : 2;
}

/** Examples: `19.90 USD`, `500 JPY`. Exact for every amount, unlike floating-point division. */
export function inPrint(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const rest = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${whole}${rest} ${currency.toUpperCase()}`;
}

export function wrongCurrency(value: unknown): string | undefined {
  if (typeof value === 'string' && currencyOf(value) !== undefined) return undefined;
  return 'must be the ISO 4217 code of a currency in use, such as usd or jpy';
}

export const mostMinorUnits = Number.MAX_SAFE_INTEGER;
