import 'reflect-metadata';
import { All, BadRequestException, Body, Controller, HttpCode, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { raw } from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

@Controller('callbacks')
class CallbacksController {
  @All()
  @HttpCode(200)
  async receive(@Body() body: Buffer = Buffer.alloc(0)): Promise<string> {
    // The path below, of express.raw, has to be the whole one: with a global prefix, that is part of it.
    if (!Buffer.isBuffer(body)) throw new Error('Nest has parsed it: the path of raw() is another');
    const result = safeParseNotification(body);
    if (!result.success) {
      await keepRefused(body, result.error);
      throw new BadRequestException(result.error.issues.map(({ code }) => code));
    }
    await settleOnce(idempotencyKey(result.notification), result.notification);
    return 'ok';
  }
}

@Module({ controllers: [CallbacksController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
// Not `rawBody: true`: with it, Nest still parses first, and answers a body that is no JSON itself.
app.use('/callbacks', raw({ type: () => true }));
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
