import { NoSuchKey, paginateListObjectsV2, S3 } from '@aws-sdk/client-s3';
import { createBucketStore } from './bucket-store.mjs';

// Saves webhooks in the bucket of S3 that the environment names.

const client = new S3();
const Bucket = process.env.WEBHOOK_BUCKET;
if (!Bucket) throw new Error('WEBHOOK_BUCKET: expected the name of a bucket');

export const store = createBucketStore({
  put: (Key, Body) => client.putObject({ Bucket, Key, Body }),
  async get(Key) {
    try {
      const { Body } = await client.getObject({ Bucket, Key });
      return (await Body?.transformToByteArray()) ?? null;
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      throw error;
    }
  },
  async list(Prefix) {
    /** @type {import('./bucket-store.mjs').Listed[]} */
    const files = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
      for (const { Key, LastModified } of Contents)
        if (Key && LastModified) files.push({ path: Key, at: LastModified });
    return files;
  },
  delete: (Key) => client.deleteObject({ Bucket, Key }),
});
