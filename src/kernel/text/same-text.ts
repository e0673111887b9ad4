import { timingSafeEqual } from 'node:crypto';

/** For texts of equal length, the time does not depend on where they differ. */
export function equalInConstantTime(own: string, sent: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
