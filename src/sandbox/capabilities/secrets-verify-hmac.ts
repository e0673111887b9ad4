import { Injectable } from '@nestjs/common';
import { type Capability, CapabilityRefused } from '../../ports/sandbox.port.js';
import { verifyHmac } from '../secrets/verify-hmac.js';
import type { CapabilityMaker, RunScope } from './capability-table.js';

/** `ctx.secrets.verifyHmac(name, data, signature, { algorithm?, signatureEncoding? })`: whether the signature is right. */
@Injectable()
export class SecretsVerifyHmac implements CapabilityMaker {
  readonly usage =
    'ctx.secrets.verifyHmac(name, data, signature, { algorithm?, signatureEncoding? }): resolves to whether the signature is right.';

  make({ secrets }: RunScope): Capability {
    return {
      name: 'secrets.verifyHmac',
      call: async (args) => {
        const verdict = verifyHmac(args, secrets.granted);
        if (verdict.ok) return verdict.verified;
        throw new CapabilityRefused(verdict.sentence, verdict.problem, verdict.problem === 'not-granted' ? 403 : 400);
      },
    };
  }
}
