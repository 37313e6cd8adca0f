// A drawing as pixels.
import * as l10n from '@vscode/l10n';
import type { Drawing } from '../../model/export/sheet';

/** Pixels of a PNG for a pixel of the drawing. */
const scale = 2;

/** Throws when the browser cannot draw it. */
export async function pngOf({ svg, width, height }: Drawing): Promise<Blob> {
  const image = new Image(width, height);
  // A data URL, which the page's policy allows for images and no other.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob === null ? reject(new Error(l10n.t('The browser gave no PNG of the picture.'))) : resolve(blob)), 'image/png'));
}

/** Bytes as base64, which a message carries. */
export function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result.replace(/^data:[^,]*,/, '') : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(l10n.t('The picture cannot be read.'))));
    reader.readAsDataURL(blob);
  });
}
