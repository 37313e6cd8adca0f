// Structs of moire.h as bytes, by the layout that the header declares.
import type { Field, StructLayout } from './header';

/** One struct in memory of our own, with struct_size set. Reused from call to call. */
export class Struct {
  readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(readonly layout: StructLayout) {
    this.bytes = new Uint8Array(layout.size);
    this.view = new DataView(this.bytes.buffer);
    this.set('struct_size', layout.size);
  }

  number(name: string): number {
    return this.read(this.field(name), 0);
  }

  numbers(name: string, count: number): number[] {
    const field = this.field(name);
    return Array.from({ length: count }, (_, i) => this.read(field, i));
  }

  text(name: string): string {
    const { offset, count } = this.field(name);
    const field = this.bytes.subarray(offset, offset + count);
    const end = field.indexOf(0);
    return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
  }

  set(name: string, value: number, index = 0): void {
    const { offset, type } = this.field(name);
    switch (type) {
      case 'u32':
        return this.view.setUint32(offset + 4 * index, value, true);
      case 'i32':
        return this.view.setInt32(offset + 4 * index, value, true);
      case 'u64':
        return this.view.setBigUint64(offset + 8 * index, BigInt(value), true);
      case 'char':
        throw new TypeError(`${name} is a text`);
    }
  }

  private read({ offset, type }: Field, index: number): number {
    switch (type) {
      case 'u32':
        return this.view.getUint32(offset + 4 * index, true);
      case 'i32':
        return this.view.getInt32(offset + 4 * index, true);
      case 'u64':
        return Number(this.view.getBigUint64(offset + 8 * index, true));
      case 'char':
        throw new TypeError('a text is not a number');
    }
  }

  private field(name: string): Field {
    const field = this.layout.fields.get(name);
    if (!field) throw new TypeError(`${this.layout.name} has no field ${name}`);
    return field;
  }
}
