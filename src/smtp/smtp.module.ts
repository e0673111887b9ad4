import { Module } from '@nestjs/common';
import { MailIn } from './mail-in.js';
import { MailIngress } from './mail-ingress.js';
import { MailhookAddresses } from './mailhook-addresses.js';

@Module({ providers: [MailIn, MailIngress, MailhookAddresses] })
export class SmtpModule {}
