import { timingSafeEqual } from 'node:crypto';

/** Compares what a client sent with what it should have been; the time it takes tells nothing of where they differ. */
export function sameText(own: string, sent: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
