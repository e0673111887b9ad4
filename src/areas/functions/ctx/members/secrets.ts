import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { verifyHmac } from '../../../../secret-text/verify-hmac.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';

/** Maximum number of invalid signatures that one run may check, so that code cannot try all likely keys. */
const mostWrong = 50;
const tooManyWrong = `This run has checked ${mostWrong} invalid signatures, the most that one run may; check the rest in another run.`;

export const secretMembers: readonly CtxMember[] = [
  ctxMember({})({
    name: 'secrets.verifyHmac',
    usage: '(name, data, signature, { algorithm?, signatureEncoding? }): resolves to whether the signature is right.',
    args: (sent) => sent,
    state: () => ({ wrong: 0 }),
    call: async (sent, { scope, state }) => {
      if (state.wrong >= mostWrong) throw new CapabilityRefused(tooManyWrong, 'verify-limit', 429);
      const verdict = verifyHmac(sent, scope.secrets.granted);
      if (!verdict.ok) {
        const status = verdict.problem === 'not-granted' ? 403 : 400;
        throw new CapabilityRefused(verdict.sentence, verdict.problem, status);
      }
      if (!verdict.verified) state.wrong += 1;
      return verdict.verified;
    },
  }),
];
