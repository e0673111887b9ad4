import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

const nextAddressAfterMs = 500;

export async function connectTo(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first = '', ...others] = addresses;
  const socket = connect({
    // If the host is an IP address, Node ignores `lookup` and tries only that address. So for several addresses, the
    // host is a made-up name that `lookup` resolves to them.
    host: others.length === 0 ? first : 'one-of-several.invalid',
    port,
    lookup: (_host, _options, answer) => answer(null, found),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    noDelay: true,
  });
  return await ready(socket, 'connect', signal);
}

export interface TlsPeer {
  readonly host: string;
  /** Certificates of issuers that are trusted instead of the usual ones. */
  readonly ca: readonly string[] | undefined;
}

export async function agreeOnTls(socket: Socket, { host, ca }: TlsPeer, signal: AbortSignal): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    // SNI does not allow IP addresses.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could turn the check off.
    rejectUnauthorized: true,
  });
  return await ready(secure, 'secureConnect', signal);
}

/** The signal closes the socket even after it has connected. */
async function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  const end = () => socket.destroy();
  signal.addEventListener('abort', end);
  socket.once('close', () => signal.removeEventListener('abort', end));
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // Without a listener, an error before the caller adds its own listener would end the process.
  socket.on('error', () => undefined);
  return socket;
}
