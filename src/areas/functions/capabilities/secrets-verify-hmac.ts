import { Injectable } from '@nestjs/common';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { verifyHmac } from '../../../secret-text/verify-hmac.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';

/** How many wrong signatures one run may check. This stops code from trying all likely keys. */
const mostWrong = 50;
const tooManyWrong = `This run has checked ${mostWrong} signatures that were wrong, which is what one run may; check the rest in another.`;

/**
 * `ctx.secrets.verifyHmac(name, data, signature, { algorithm?, signatureEncoding? })`: resolves to whether the
 * signature is right.
 */
@Injectable()
export class SecretsVerifyHmac implements CapabilityMaker {
  readonly usage =
    'ctx.secrets.verifyHmac(name, data, signature, { algorithm?, signatureEncoding? }): resolves to whether the signature is right.';

  make({ secrets }: RunScope): Capability {
    let wrong = 0;
    return {
      name: 'secrets.verifyHmac',
      call: async (args) => {
        if (wrong >= mostWrong) throw new CapabilityRefused(tooManyWrong, 'verify-limit', 429);
        const verdict = verifyHmac(args, secrets.granted);
        if (verdict.ok) {
          if (!verdict.verified) wrong += 1;
          return verdict.verified;
        }
        throw new CapabilityRefused(verdict.sentence, verdict.problem, verdict.problem === 'not-granted' ? 403 : 400);
      },
    };
  }
}
