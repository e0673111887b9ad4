import { Injectable } from '@nestjs/common';
import { refuse } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { WrongTries } from '../entrance/wrong-tries.js';

const wrongAtMost = 10;
const withinMs = 5 * 60_000;

/** Limits wrong keys at the sign-in page, where only persons type them. */
@Injectable()
export class SignInTries extends WrongTries {
  constructor(clock: Clock) {
    super(wrongAtMost, withinMs, clock, (seconds) =>
      refuse('sign-in-limited', { seconds }, { retryAfterSeconds: seconds }),
    );
  }
}
