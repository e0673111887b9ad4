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
   * Returns a sentence if the chain or its seals end before a trusted head. Then events or seals were removed, or the
   * log is an older backup, because a head is signed only after its events are sealed.
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
    return `the stored head of ${first.signedAt} covers ${first.count} events, but the log has only ${count}: its end is missing, after ${after}`;
  }

  private unsealed(sealed: number): string | undefined {
    const head = this.heads.find(({ count }) => count > sealed);
    if (head === undefined) return undefined;
    return `${head.count} events were sealed according to the stored head of ${head.signedAt}, but the log has seals of only ${sealed}: seals were removed, or the log was replaced by an older backup`;
  }

  private split({ count }: ChainPlace): string | undefined {
    const [first, ...others] = this.byCount.get(count) ?? [];
    const other = others.find(({ head }) => head !== first?.head);
    if (first === undefined || other === undefined) return undefined;
    return `the chain is forked: the stored heads of ${first.signedAt} and ${other.signedAt} are both signed, each for ${count} events, but differ; ${howForked}`;
  }

  private contradicted({ signedAt, count }: SignedHead, where: string): string {
    const here = `the stored head of ${signedAt} is not the one that results from the log at ${where}`;
    if (this.agreed === 0) return `${here}: the log was rewritten up to there`;
    return `the chain is forked after event ${this.agreed}: up to there it matches the stored heads, but ${here}, so two chains of ${count} events were signed; ${howForked}`;
  }
}

const howForked =
  'two installations continued from the same backup, this one was restored from a backup, or someone who has the master key rewrote the events after it';
