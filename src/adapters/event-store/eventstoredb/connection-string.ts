const known = new Set([
  'userCertFile',
  'userKeyFile',
  'maxDiscoverAttempts',
  'connectionName',
  'defaultDeadline',
  'discoveryInterval',
  'gossipTimeout',
  'nodePreference',
  'tls',
  'tlsCAFile',
  'throwOnAppendFailure',
  'keepAliveInterval',
  'keepAliveTimeout',
]);
const flat = (option: string) => option.trim().toLowerCase().replaceAll(/[_-]/g, '');
const knownFlat = new Set([...known].map(flat));

/**
 * Accepts KurrentDB's own URL scheme, which means the same protocol. Refuses invalid addresses before the client does,
 * because the client's error would contain the whole address with its password.
 * @throws Error with one sentence that quotes nothing of the address except the name of an option
 */
export function connectionStringOf(url: string): string {
  const address = url.trim().replace(/^kurrentdb(\+discover)?:\/\//, 'esdb$1://');
  if (!/^esdb(\+discover)?:\/\/./.test(address)) {
    throw unusable('it does not begin with esdb:// or esdb+discover://');
  }
  const [place = '', options = ''] = address.split('?', 2);
  const credentials = place.includes('@') ? place.slice(place.indexOf('://') + 3, place.lastIndexOf('@')) : undefined;
  if (credentials !== undefined && !/^[^:@/]+:[^:@/]+$/.test(credentials)) {
    throw unusable('the part before the @ is not user:password; percent-encode the characters : @ / in both');
  }
  for (const option of options.split('&').filter((text) => text !== '')) {
    const name = option.split('=', 1)[0] ?? '';
    if (flat(name) === 'tlsverifycert') {
      throw unusable('tlsVerifyCert is not supported; give the authority that signed the certificate as tlsCAFile');
    }
    if (!knownFlat.has(flat(name))) throw unusable(`it has an unknown option '${name}'`);
  }
  return address;
}

export function unusable(why: string): Error {
  return new Error(`The address of EventStoreDB cannot be used: ${why}.`);
}
