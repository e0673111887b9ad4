import fc from 'fast-check';
import { AddressGuard } from '../../../src/adapters/egress/http/address-guard.js';
import { canonicalHost, hostOf } from '../../../src/kernel/text/host-name.js';
import { runs } from '../../support/depth.js';
import {
  dotted,
  embeddings,
  inRange,
  ipv4Of,
  notations,
  sinks,
  specialRanges,
} from '../../support/egress/address-notations.js';
import { EgressScene, request, resolverOf, textOf } from '../../support/egress/egress-scene.js';

const scene = new EgressScene();
afterEach(() => scene.close());

/** An egress that may reach public addresses only. */
const strict = (names: Readonly<Record<string, readonly string[]>> = {}) =>
  scene.egress({ allow: [], ...resolverOf(names) });
const outcome = (sent: Promise<unknown>) =>
  sent.then(
    () => 'sent',
    (error: { kind: string; message: string }) => `${error.kind}: ${error.message}`,
  );
const allowIt = 'the operator can allow it with EGRESS_ALLOW.';

describe('egress over http, addresses that are not public', () => {
  it.each(Object.entries(notations))('are refused in the notation of %s', async (_, write) => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.254']) {
      const kind = { '1': address.startsWith('127') ? 'loopback' : 'private' }[address[0] ?? ''] ?? '';
      const range = address.startsWith('169') ? 'link-local' : kind;
      expect(await outcome(strict().send(request(`http://${write(ipv4Of(address))}/`)))).toBe(
        `address: The host '${address}' is a ${range} address; ${allowIt}`,
      );
    }
  });

  it.each(Object.entries(embeddings))('are refused when embedded in IPv6: %s', async (_, write) => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.254']) {
      const inside = write(ipv4Of(address));
      const literal = await outcome(strict().send(request(`http://[${inside}]/`)));
      expect(literal).toMatch(
        /^address: The host '[0-9a-f:]+' is a (loopback|private|link-local) address; the operator/,
      );
      const found = await outcome(strict({ 'name.test': [inside] }).send(request('http://name.test/')));
      expect(found).toMatch(/^address: The host 'name.test' resolves to a (loopback|private|link-local) address \(/);
    }
  });

  it.each([
    ['a private', '10.0.0.1'],
    ['a private', '10.255.255.255'],
    ['a private', '172.16.0.1'],
    ['a private', '172.31.255.255'],
    ['a private', '192.168.0.1'],
    ['a loopback', '127.0.0.1'],
    ['a loopback', '127.255.255.254'],
    ['a loopback', '::1'],
    ['a link-local', '169.254.169.254'],
    ['a link-local', '169.254.0.1'],
    ['a link-local', 'fe80::1'],
    ['a link-local', 'febf::1'],
    ['a private', 'fd00:ec2::254'],
    ['a private', 'fc00::1'],
    ['a private', 'fec0::1'],
    ['a shared', '100.64.0.1'],
    ['a shared', '100.127.255.255'],
    ['a multicast', '224.0.0.1'],
    ['a multicast', '239.255.255.250'],
    ['a multicast', 'ff02::1'],
    ['a broadcast', '255.255.255.255'],
    ['an unspecified', '0.0.0.0'],
    ['an unspecified', '0.1.2.3'],
    ['an unspecified', '::'],
    ['a reserved', '192.0.0.1'],
    ['a reserved', '192.0.2.1'],
    ['a reserved', '198.51.100.1'],
    ['a reserved', '203.0.113.1'],
    ['a reserved', '198.18.0.1'],
    ['a reserved', '198.19.255.255'],
    ['a reserved', '192.88.99.1'],
    ['a reserved', '240.0.0.1'],
    ['a reserved', '2001:db8::1'],
    ['a reserved', '3fff::1'],
    ['a reserved', '2001:2::1'],
    ['a reserved', '2001:10::1'],
    ['a reserved', '2001:20::1'],
    ['a reserved', '100::1'],
    ['a reserved', '100:0:0:1::1'],
    ['a reserved', '5f00::1'],
    ['a reserved', '4000::1'],
    ['a reserved', 'e000::1'],
    ['a reserved', '64:ff9b:1::808:808'],
    ['a reserved', '64:ff9b:1:a00:1::'],
    ['a reserved', '64:ff9b:0:1::808:808'],
    ['a link-local', 'fe80::5efe:808:808'],
  ])('are refused as %s address: %s', async (range, address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await outcome(strict().send(request(`http://${host}/`)))).toBe(
      `address: The host '${address}' is ${range} address; ${allowIt}`,
    );
    expect(await outcome(strict({ 'name.test': [address] }).send(request('https://name.test/?key=hunter2')))).toBe(
      `address: The host 'name.test' resolves to ${range} address (${address}); ${allowIt}`,
    );
  });

  it.each([
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[::1]x/',
    'http://127.0.0.1.1.1/',
    'http://08.1/',
  ])('cannot be hidden in something that is no address: %s', async (url) => {
    expect(await outcome(strict().send(request(url)))).toMatch(/^url: /);
  });

  it('are refused with the zone that a resolver returns', async () => {
    expect(await outcome(strict({ 'name.test': ['fe80::1%lo'] }).send(request('http://name.test/')))).toBe(
      `address: The host 'name.test' resolves to a link-local address (fe80::1%lo); ${allowIt}`,
    );
  });

  it.each(['127.1', '0x7f000001', '2130706433', '127.0.0.1 ', '', 'localhost', '127.0.0.1/8'])(
    'are refused if a resolver returns something that is no address: %j',
    async (answer) => {
      expect(await outcome(strict({ 'name.test': [answer] }).send(request('http://name.test/')))).toMatch(/^dns: /);
    },
  );
});

describe('egress over http, names', () => {
  it('lead only to their permitted addresses', async () => {
    const server = await scene.http((_, response) => response.end(response.socket?.localAddress), { host: '0.0.0.0' });
    const { asked, resolve } = resolverOf({ 'many.test': ['127.0.0.2', '10.0.0.1', '127.0.0.1', '127.0.0.3', '::1'] });
    expect(textOf(await scene.egress({ resolve }).send(request(server.url('many.test'))))).toBe('127.0.0.1');
    expect(asked).toEqual(['many.test']);
    const guard = new AddressGuard(['127.0.0.1'], resolve);
    expect((await guard.addressesOf('many.test')).addresses).toEqual(['127.0.0.1']);
  });

  it('are looked up once for a request, and judged again for the next', async () => {
    const good = await scene.http((_, response) => response.end('public'));
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async () => (answers[asked++] ?? []).map((address) => ({ address }));
    const egress = scene.egress({ resolve });
    const send = () => outcome(egress.send(request(good.url('rebound.test'))));
    expect([await send(), asked]).toEqual(['sent', 1]);
    expect(await send()).toBe(
      `address: The host 'rebound.test' resolves to a loopback address (127.0.0.2); ${allowIt}`,
    );
    expect([await send(), asked, good.connections]).toEqual(['sent', 3, 2]);
  });

  it('that become private are refused, even if the resolver changes its answer between two questions', async () => {
    const answers = ['93.184.215.14', '10.0.0.1'];
    const guard = new AddressGuard([], async () => [{ address: answers.shift() ?? '' }]);
    expect((await guard.addressesOf('rebound.test')).addresses).toEqual(['93.184.215.14']);
    await expect(guard.addressesOf('rebound.test')).rejects.toMatchObject({ kind: 'address' });
  });

  it.each(['LOCAL.test', 'local.test.', 'loc%61l.test', 'ｌocal.test', 'local。test', 'lo\tcal.test'])(
    'are equal in every notation: %j',
    async (name) => {
      const { asked, resolve } = resolverOf({ 'local.test': ['10.0.0.1'] });
      const sent = scene.egress({ resolve }).send(request(`http://${name}/`));
      expect(await outcome(sent)).toMatch(/^address: The host 'local.test' resolves to a private/);
      expect(asked).toEqual(['local.test']);
    },
  );
});

describe('egress over http, what the operator allows', () => {
  const reaches = async (allow: readonly string[], host: string, addresses: readonly string[] = ['127.0.0.1']) => {
    const server = await scene.http((_, response) => response.end());
    const egress = scene.egress({ allow, ...resolverOf({ 'inside.test': addresses, 'sub.inside.test': addresses }) });
    return (await outcome(egress.send(request(server.url(host))))) === 'sent';
  };

  it.each([
    [['inside.test'], 'inside.test', true],
    [['inside.test'], 'INSIDE.test.', true],
    [['inside.test'], 'sub.inside.test', false],
    [['sub.inside.test'], 'inside.test', false],
    [['inside.test'], '127.0.0.1', false],
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '0x7f.1', true],
    [['127.0.0.1'], '[::ffff:127.0.0.1]', true],
    [['127.0.0.1'], 'inside.test', true],
    [['127.0.0.2'], '127.0.0.1', false],
    [['127.0.0.0/8'], 'inside.test', true],
    [['10.0.0.0/8', '127.0.0.0/31'], '127.0.0.1', true],
    [['10.0.0.0/8', '127.0.0.2/31'], '127.0.0.1', false],
    [['fd00::/8', '::1'], '127.0.0.1', false],
    [['::/0'], '127.0.0.1', false],
    [[], 'inside.test', false],
  ])('%j permits a request to %s through: %s', async (allow, host, expected) => {
    expect(await reaches(allow, host)).toBe(expected);
  });

  it('does not extend to an address that embeds a permitted one', async () => {
    const guard = new AddressGuard(['10.0.0.0/8'], resolverOf().resolve);
    for (const address of ['64:ff9b::a00:1', '2002:a00:1::1', '::a00:1'])
      await expect(guard.addressesOf(address)).rejects.toMatchObject({ kind: 'address' });
    const { addresses } = await new AddressGuard(['64:ff9b::/96'], resolverOf().resolve).addressesOf('64:ff9b::a00:1');
    expect(addresses).toHaveLength(1);
  });

  it('may be an IPv6 address or range', async () => {
    const guard = new AddressGuard(['fd00:1::/32', 'fd00:2::5'], resolverOf().resolve);
    expect((await guard.addressesOf('fd00:1:0:9::1')).addresses).toEqual(['fd00:1:0:9::1']);
    expect((await guard.addressesOf('fd00:2::5')).addresses).toEqual(['fd00:2::5']);
    await expect(guard.addressesOf('fd00:2::6')).rejects.toMatchObject({ kind: 'address' });
  });
});

describe('the address of a cloud provider’s own services', () => {
  it.each(['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'])(
    'refuses the address %s of a cloud provider',
    async (address) => {
      const guard = new AddressGuard([], resolverOf().resolve);
      await expect(guard.addressesOf(address)).rejects.toMatchObject({ kind: 'address' });
      expect((await guard.addressesOf('168.63.129.17')).addresses).toEqual(['168.63.129.17']);
    },
  );
});

describe('the message about the addresses of a host', () => {
  it.each([
    [['api.test'], ['127.0.0.1'], true],
    [['127.0.0.1'], ['127.0.0.1'], true],
    [['127.0.0.1'], ['127.0.0.1', '93.184.215.14'], false],
    [[], ['93.184.215.14'], false],
  ])('with %j permitted and %j found: permitted by the operator, %s', async (allow, found, allowed) => {
    const guard = new AddressGuard(allow, resolverOf({ 'api.test': found }).resolve);
    expect((await guard.addressesOf('api.test')).allowedByOperator).toBe(allowed);
  });
});

describe('egress over http, every IPv4 address there is', () => {
  const guard = new AddressGuard([], async (host) => [{ address: host.replace(/^name-|\.test$/g, '') }]);
  const special = Object.values(specialRanges).flat();
  const inside = fc
    .tuple(fc.constantFrom(...special), fc.nat(0xffff_ffff))
    .map(([[from, bits], any]) => ipv4Of(from) + (any % 2 ** (32 - bits)));
  const outside = fc
    .nat(0xffff_ffff)
    .filter((address) => ![...special, ...sinks].some((range) => inRange(address, range)));
  /** All notations of the address as hosts of URLs, as the adapter gets them. */
  const literals = (address: number) => [
    ...Object.values(notations).map((write) => hostOf(new URL(`http://${write(address)}/`)) ?? ''),
    ...Object.values(embeddings).map((write) => hostOf(new URL(`http://[${write(address)}]/`)) ?? ''),
  ];
  const judged = async (host: string) => {
    try {
      return (await guard.addressesOf(host)).addresses.join();
    } catch (error) {
      return error;
    }
  };

  it('is refused in every notation and embedding if it is not public, as a literal and by a name', async () => {
    await fc.assert(
      fc.asyncProperty(inside, async (address) => {
        for (const host of literals(address)) {
          expect(await judged(host)).toMatchObject({ kind: 'address' });
          expect(await judged(`name-${host}.test`)).toMatchObject({ kind: 'address' });
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('is permitted if it is public, and is the one connected to', async () => {
    await fc.assert(
      fc.asyncProperty(outside, async (address) => {
        for (const write of Object.values(notations))
          expect(await judged(canonicalHost(write(address)) ?? '')).toBe(dotted(address));
        for (const write of [embeddings['IPv4-mapped'], embeddings['IPv4-mapped, with dots']])
          expect(await judged(canonicalHost(write?.(address) ?? '') ?? '')).toBe(dotted(address));
        for (const host of literals(address)) expect(await judged(host)).toEqual(expect.any(String));
      }),
      { numRuns: runs(500) },
    );
  });

  it('gets the same verdict at both ends of every range', async () => {
    for (const [from, bits] of special) {
      const [first, last] = [ipv4Of(from), ipv4Of(from) + 2 ** (32 - bits) - 1];
      for (const address of [first, last]) expect(await judged(dotted(address))).toMatchObject({ kind: 'address' });
      for (const address of [first - 1, last + 1]) {
        if (address < 0 || address > 0xffff_ffff || special.some((range) => inRange(address, range))) continue;
        expect(await judged(dotted(address))).toBe(dotted(address));
      }
    }
  });

  it('does not extend to public IPv6 addresses, which are permitted', async () => {
    for (const address of [
      '2606:4700::1111',
      '2a00:1450:4001::200e',
      '2001:4860:4860::8888',
      '2620:fe::fe',
      '2400:cb00::1',
    ])
      expect(await judged(address)).toBe(address);
  });
});
