import { EgressFailed, EgressRefused } from '../../../ports/network/egress.port.js';
import { type Address, addressRangeOf, parseAddress } from './address-ranges.js';
import { AllowList } from './allow-list.js';

export type ResolveHost = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface GuardedAddresses {
  readonly addresses: readonly string[];
  /** Whether EGRESS_ALLOW contains the host or covers each of these addresses. */
  readonly allowedByOperator: boolean;
}

export class AddressGuard {
  private readonly allowed: AllowList;

  constructor(
    allow: readonly string[],
    private readonly resolve: ResolveHost,
  ) {
    this.allowed = new AllowList(allow);
  }

  /**
   * Callers must not look the name up again, because the answer could differ.
   * @param host as returned by `canonicalHost`
   * @throws EgressRefused, EgressFailed
   */
  async addressesOf(host: string): Promise<GuardedAddresses> {
    const literal = parseAddress(host);
    return this.admitted(host, literal === undefined ? await this.lookUp(host) : [literal]);
  }

  /**
   * @param all every address of the host, or the host itself if it is an address
   * @throws EgressRefused, EgressFailed
   */
  admitted(host: string, all: readonly Address[]): GuardedAddresses {
    const isAllowed = (address: Address) => this.allowed.has(host, address);
    const good = all.filter((address) => isAllowed(address) || addressRangeOf(address) === 'public');
    const [first] = all;
    if (first === undefined)
      throw new EgressFailed('dns', `The host '${host}' has no address; check how it is spelled.`);
    if (good.length > 0) return { addresses: good.map(String), allowedByOperator: good.every(isAllowed) };
    const isLiteral = parseAddress(host) !== undefined;
    throw new EgressRefused(
      'address',
      `The host '${host}' ${isLiteral ? 'is' : 'resolves to'} ${aKindOf(first)}${isLiteral ? '' : ` (${first})`}; ` +
        'the operator can allow it with EGRESS_ALLOW.',
    );
  }

  private async lookUp(host: string): Promise<readonly Address[]> {
    const found = await this.resolve(host).catch((error: unknown) => {
      throw new EgressFailed('dns', sentenceOf(error, host));
    });
    return found.map(({ address }) => parseAddress(address)).filter((address) => address !== undefined);
  }
}

function aKindOf(address: Address): string {
  const range = addressRangeOf(address);
  return `${/^[aeiou]/.test(range) ? 'an' : 'a'} ${range} address`;
}

function sentenceOf(error: unknown, host: string): string {
  const isUnknown = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOTFOUND';
  if (isUnknown) return `The host '${host}' is not known to DNS; check how it is spelled.`;
  return `The host '${host}' could not be looked up in DNS; try again later.`;
}
