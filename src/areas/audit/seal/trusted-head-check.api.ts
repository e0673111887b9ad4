import type { ChainPlace } from '../../../kernel/audit-chain/chain.js';
import type { SignedHead } from '../../../kernel/audit-chain/signed-head.js';

export class TrustedHeadCheck {
  private readonly byCount: ReadonlyMap<number, readonly SignedHead[]>;
  private readonly previous: ReadonlyMap<number, readonly ChainPlace[]>;
  private agreed = 0;
  compared = 0;

  constructor(private readonly heads: readonly SignedHead[]) {
    this.byCount = Map.groupBy(heads, ({ count }) => count);
    this.previous = Map.groupBy(
      heads.map(({ previous }) => previous),
      ({ count }) => count,
    );
  }

  /**
   * Call this for every position of the chain. Returns a sentence if the chain contradicts a trusted head there.
   * @param where names the position in the sentence
   */
  visit(place: ChainPlace, where: { readonly before: string }): string | undefined {
    if (this.heads.length === 0) return undefined;
    const here = this.byCount.get(place.count) ?? [];
    this.compared += here.length;
    const other = here.find(({ head }) => head !== place.head);
    if (other !== undefined) return this.split(place) ?? this.contradicted(other, where.before);
    const known = here.length > 0 || this.previous.get(place.count)?.some(({ head }) => head === place.head);
    if (known) this.agreed = place.count;
    return undefined;
  }

  /**
   * Returns a sentence if the chain or its seals end before a trusted head. A head is signed only after its events are
   * sealed, so events or seals were removed, or the log is an older backup.
   * @param sealed number of events that the log's seals cover
   */
  finish({ count }: ChainPlace, sealed: number, after: string): string | undefined {
    const beyond = this.heads.filter((head) => head.count > count);
    for (const head of beyond) {
      const sentence = this.split(head);
      if (sentence !== undefined) return sentence;
    }
    const [first] = beyond;
    if (first === undefined) return this.unsealed(sealed);
    return `the head that was kept on ${first.signedAt} has ${first.count} events, and the log only ${count}: its end is gone, after ${after}`;
  }

  private unsealed(sealed: number): string | undefined {
    const head = this.heads.find(({ count }) => count > sealed);
    if (head === undefined) return undefined;
    return `${head.count} events were sealed when the head was kept on ${head.signedAt}, and the log has seals of ${sealed}: seals were taken away, or a backup from before was put in its place`;
  }

  private split({ count }: ChainPlace): string | undefined {
    const [first, ...others] = this.byCount.get(count) ?? [];
    const other = others.find(({ head }) => head !== first?.head);
    if (first === undefined || other === undefined) return undefined;
    return `the chain is forked: the heads that were kept on ${first.signedAt} and on ${other.signedAt} are both signed, each for ${count} events, and differ; ${howForked}`;
  }

  private contradicted({ signedAt, count }: SignedHead, where: string): string {
    const here = `the head that was kept on ${signedAt} is not the one that the log leads to at ${where}`;
    if (this.agreed === 0) return `${here}: what it has up to there was written anew`;
    return `the chain is forked after event ${this.agreed}: up to there it is as it was kept, but ${here}, so two chains of ${count} events were signed; ${howForked}`;
  }
}

const howForked =
  'two installations went on from one backup, this one was set back to a backup, or somebody who has the master key wrote what comes after it anew';
