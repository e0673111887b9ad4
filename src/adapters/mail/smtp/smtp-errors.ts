import { EgressFailed, EgressRefused } from '../../../ports/network/egress.port.js';
import { MailError, type MailErrorKind } from '../../../ports/network/mail.port.js';
import type { Redactor } from '../../../secret-text/hiding/redactor.js';
import { certificateFault } from '../../egress/http/failure.js';

interface SmtpFault {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

export interface SmtpCircumstances {
  readonly host: string;
  /** Hides the password in the server's replies. If undefined, errors quote no replies. */
  readonly redactor: Redactor | undefined;
  /** Whether the transmission of the mail has begun. */
  readonly begun: boolean;
}

const longestReply = 200;

/**
 * nodemailer's message can quote what was sent and received, so it is replaced. Returns MailErrors and unknown errors
 * unchanged.
 */
export function mailErrorOf(error: unknown, about: SmtpCircumstances): unknown {
  if (error instanceof MailError) return error;
  if (error instanceof EgressRefused) return new MailError('address', error.message, true);
  if (error instanceof EgressFailed) {
    const late = error.kind === 'timeout' || error.kind === 'stopped';
    return new MailError(late ? 'timeout' : 'unreachable', error.message, true);
  }
  const fault = faultOf(error);
  if (fault === undefined) return error;
  const [kind, sentence] = reasonFor(fault, about.host);
  // If the server has not refused the mail and the transmission has begun, it is unknown whether the mail was sent.
  const surelyNotSent = !about.begun || isNo(fault);
  const quoted = kind === 'login' ? undefined : quotedReply(fault, about.redactor);
  return new MailError(kind, sentence, surelyNotSent, quoted, isAddressFault(fault));
}

/**
 * Enhanced status codes (RFC 3463) for a bad address: bad mailbox, bad destination system, bad syntax, moved without a
 * forwarding address, null MX, disabled mailbox.
 */
const badAddresses = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);

/** Without an enhanced code, only 550 and 553 mean that the recipient's address is bad (RFC 5321, 4.2.3). */
function isAddressFault(fault: SmtpFault): boolean {
  const { command = '', responseCode: reply = 0 } = fault;
  if (reply < 500 || !['RCPT TO', 'DATA'].includes(command)) return false;
  const enhanced = enhancedOf(fault);
  if (enhanced !== undefined) return badAddresses.has(enhanced);
  return command === 'RCPT TO' && (reply === 550 || reply === 553);
}

/** Whether the server has closed or is closing the connection, for example because it was idle. */
export function wasOver(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== undefined && (fault.responseCode === 421 || (fault.responseCode === undefined && isBroken(fault)));
}

function reasonFor(fault: SmtpFault, host: string): readonly [MailErrorKind, string] {
  const { code, command = '', responseCode: reply } = fault;
  const codes = codesOf(fault);
  const server = `The mail server '${host}'`;
  const certificate = certificateFault(fault.originalCode ?? '');
  if (certificate !== undefined)
    return ['tls', `The certificate of '${host}' ${certificate}; it must be corrected there.`];
  if (command === 'STARTTLS' && reply !== undefined)
    return [
      'tls',
      `${server} does not offer STARTTLS${codes}, and mail is not sent unencrypted: send secure true for TLS from the start, or the operator can allow this host with SMTP_PLAINTEXT_ALLOW.`,
    ];
  if (code === 'ETLS' || (fault.originalCode ?? '').startsWith('ERR_SSL'))
    return [
      'tls',
      `The TLS handshake with ${server.replace('The', 'the')} failed; check the port, and secure (true: TLS from the start, false: STARTTLS).`,
    ];
  if (code === 'ETIMEDOUT')
    return ['timeout', `${server} did not respond in time; check port and secure, or try again later.`];
  if (code === 'EAUTH') {
    if (reply === undefined) return ['login', `${server} offers no supported login (PLAIN, LOGIN, CRAM-MD5).`];
    if (reply < 500) return ['later', `${server} cannot check the login at present${codes}; try again later.`];
    return ['login', `${server} does not accept this username and password${codes}; check both.`];
  }
  if (reply !== undefined && reply >= 400 && reply < 500)
    return ['later', `${server} does not accept the mail at present${codes}; try again later.`];
  if (command === 'RCPT TO') return ['recipients', `${server} refused every recipient${codes}; check the addresses.`];
  if (command === 'MAIL FROM' && reply === undefined)
    return ['refused', `The mail is larger than ${server.replace('The', 'the')} accepts; send less.`];
  if (command === 'MAIL FROM')
    return [
      'refused',
      `${server} refused the sender's address${codes}; check fromAddress and which senders this login may use.`,
    ];
  if (reply !== undefined && reply >= 500) return ['refused', `${server} refused the mail${codes}.`];
  if (code === 'EPROTOCOL') return ['lost', `${server} does not speak SMTP as expected${codes}; check host and port.`];
  return ['lost', `${server} closed the connection; try again later.`];
}

function faultOf(error: unknown): SmtpFault | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
  return isCoded ? (error as SmtpFault) : undefined;
}

const isBroken = ({ code }: SmtpFault) => code === 'ECONNECTION' || code === 'ESOCKET';

const isNo = ({ responseCode = 0 }: SmtpFault) => responseCode >= 400 && responseCode < 600;

function codesOf(fault: SmtpFault): string {
  const { responseCode } = fault;
  if (responseCode === undefined) return '';
  const enhanced = enhancedOf(fault);
  return enhanced === undefined ? ` (${responseCode})` : ` (${responseCode} ${enhanced})`;
}

const enhancedOf = ({ response = '' }: SmtpFault) => /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];

function quotedReply({ response }: SmtpFault, redactor: Redactor | undefined): string | undefined {
  if (response === undefined || redactor === undefined) return undefined;
  const line = redactor
    .text(response)
    .value.replace(/^\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3} )?/gm, '')
    .replace(/[^\P{C}]+|\s+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, longestReply).toWellFormed();
}
