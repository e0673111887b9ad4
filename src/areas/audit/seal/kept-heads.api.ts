import type { ChainPlace } from '../../../kernel/audit-chain/chain.js';
import { fingerprintOf, isSigned, type SignedHead, signedHeadOf } from '../../../kernel/audit-chain/signed-head.js';

/** Signed heads kept outside the service, by workspace. The store must agree with them, whatever it holds now. */
export class KeptHeads {
  private readonly byWorkspace = new Map<string, SignedHead[]>();

  /**
   * @param lines one head as JSON per line, as audit:heads prints them
   * @throws Error naming a line that is not a head, or that this service's key has not signed
   */
  constructor(lines: readonly string[], publicKey: string) {
    lines.forEach((line, index) => {
      if (line.trim() === '') return;
      const head = signedHeadOf(parsed(line));
      if (head === undefined) throw new Error(`Line ${index + 1} of the kept heads is no signed head.`);
      if (head.publicKey !== publicKey) {
        throw new Error(
          `Line ${index + 1} of the kept heads is signed with the key ${fingerprintOf(head.publicKey)}; this service has ${fingerprintOf(publicKey)}: set MASTER_KEY to the one it was signed under.`,
        );
      }
      if (!isSigned(head)) throw new Error(`The signature in line ${index + 1} of the kept heads is not right.`);
      this.byWorkspace.set(head.workspaceId, [...(this.byWorkspace.get(head.workspaceId) ?? []), head]);
    });
  }

  get workspaces(): readonly string[] {
    return [...this.byWorkspace.keys()];
  }

  /** A kept head that contradicts the chain at this place. */
  contradicting(workspaceId: string, place: ChainPlace): SignedHead | undefined {
    return this.byWorkspace.get(workspaceId)?.find(({ count, head }) => count === place.count && head !== place.head);
  }

  /** A kept head with more events than the chain. */
  beyond(workspaceId: string, { count }: ChainPlace): SignedHead | undefined {
    return this.byWorkspace.get(workspaceId)?.find((kept) => kept.count > count);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
