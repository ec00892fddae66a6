import type { CustomFetch } from 'openid-client'

/** What a provider says has a few kilobytes. One that is broken must not fill the memory of the process that serves awards. */
const bytesMax = 1_048_576

/** `fetch`, for responses of at most a megabyte. */
export const fetchFromProvider: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit)
  const { body, status, statusText, headers } = response
  if (body === null) return response
  return new Response(body.pipeThrough(atMost(bytesMax)), { status, statusText, headers })
}

function atMost(bytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.byteLength
      if (left < 0) controller.error(new Error(`its response has more than ${bytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
