import type { HmacScheme, SignatureScheme } from '../../../src/areas/triggers/webhook/webhook.record.js';

export interface Published {
  readonly signature: SignatureScheme;
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly at: number;
}

export const hmac = (more: Partial<HmacScheme> = {}): HmacScheme => ({
  scheme: 'hmac',
  header: 'X-Signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  timestamp: null,
  ...more,
});

export const slack = hmac({
  header: 'X-Slack-Signature',
  prefix: 'v0=',
  timestamp: { header: 'X-Slack-Request-Timestamp', signed: 'v0:timestamp:body', toleranceSeconds: 300 },
});

/** Signed deliveries that senders publish as examples in their documentation and libraries. */
export const published: Readonly<Record<string, Published>> = {
  'Standard Webhooks, of the reference libraries': {
    signature: { scheme: 'standard-webhooks', toleranceSeconds: 300 },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    at: 1_614_265_330_000,
  },
  'Standard Webhooks, of another sender that signs so': {
    signature: { scheme: 'standard-webhooks', toleranceSeconds: 300 },
    secret: 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    headers: {
      'webhook-id': 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
      'webhook-timestamp': '1649367553',
      'webhook-signature': 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
    },
    body: '{"email":"test@example.com","username":"test_user"}',
    at: 1_649_367_553_000,
  },
  GitHub: {
    signature: { scheme: 'github' },
    secret: "It's a Secret to Everybody",
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
    at: 0,
  },
  'Slack, by the generic scheme': {
    signature: slack,
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    at: 1_531_420_618_000,
  },
  'RFC 4231, case 2, with SHA-384 by the generic scheme': {
    signature: hmac({ algorithm: 'sha384' }),
    secret: 'Jefe',
    headers: {
      'x-signature': 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    },
    body: 'what do ya want for nothing?',
    at: 0,
  },
};
