import { fingerprintOf, isSigned, type SignedHead, signedHeadOf } from '../../../kernel/audit-chain/signed-head.js';
import { TrustedHeadCheck } from './trusted-head-check.api.js';

/**
 * Signed heads that an auditor has stored outside the service. They show changes of the log even if the log's seals
 * were changed too.
 */
export class TrustedHeads {
  private readonly heads: readonly SignedHead[];

  /**
   * @param lines each contains a head as JSON: lines that `audit:heads` prints, or the last line of an export
   * @throws Error that names the line, if it contains no signed head
   */
  constructor(lines: readonly string[]) {
    const numbered = lines.map((line, index) => ({ line, number: index + 1 }));
    this.heads = numbered
      .filter(({ line }) => line.trim() !== '')
      .map(({ line, number }) => {
        const head = headIn(line);
        if (head === undefined) throw new Error(`Line ${number} of the stored heads is not a signed head.`);
        if (!isSigned(head)) throw new Error(`The signature in line ${number} of the stored heads is invalid.`);
        return head;
      });
  }

  /** @throws Error if a head was signed with another key */
  mustBeSignedWith(publicKey: string): void {
    const other = this.heads.find((head) => head.publicKey !== publicKey);
    if (other === undefined) return;
    throw new Error(
      `The stored head of ${other.signedAt} is signed with the key ${fingerprintOf(other.publicKey)}, but the key of this installation is ${fingerprintOf(publicKey)}. Set MASTER_KEY to the one with which the head was signed, or omit heads of other installations.`,
    );
  }

  get workspaces(): readonly string[] {
    return [...new Set(this.heads.map(({ workspaceId }) => workspaceId))];
  }

  checkFor(workspaceId: string): TrustedHeadCheck {
    return new TrustedHeadCheck(this.heads.filter((head) => head.workspaceId === workspaceId));
  }
}

function headIn(line: string): SignedHead | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEnd = typeof value === 'object' && value !== null && 'line' in value && value.line === 'end';
    return signedHeadOf(isEnd && 'head' in value ? value.head : value);
  } catch {
    return undefined;
  }
}
