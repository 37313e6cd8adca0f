//! Token ids in a request: one list, or one list per batch row. Written by hand so that a wrong element is reported by its index.

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use std::fmt;

/// Ids per batch row. A flat list is one row.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// One list a batch row.
    pub rows: Vec<Vec<u32>>,
}

enum Item {
    Id(u32),
    Row(Vec<u32>),
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ItemVisitor;
        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token id (0 to 4294967295) or a list of token ids")
            }
            fn visit_u64<E: serde::de::Error>(self, id: u64) -> Result<Item, E> {
                u32::try_from(id)
                    .map(Item::Id)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(id), &self))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Item, A::Error> {
                let mut row = Vec::new();
                while let Some(id) = seq.next_element()? {
                    row.push(id);
                }
                Ok(Item::Row(row))
            }
        }
        from.deserialize_any(ItemVisitor)
    }
}

impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct IdsVisitor;
        impl<'de> Visitor<'de> for IdsVisitor {
            type Value = Ids;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of token ids, or a list of such lists")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ids, A::Error> {
                let mut flat = Vec::new();
                let mut rows = Vec::new();
                while let Some(item) = seq.next_element()? {
                    match item {
                        Item::Id(id) => flat.push(id),
                        Item::Row(row) => rows.push(row),
                    }
                    if !flat.is_empty() && !rows.is_empty() {
                        return Err(A::Error::custom("token ids and lists of token ids are mixed"));
                    }
                }
                Ok(Ids { rows: if rows.is_empty() { vec![flat] } else { rows } })
            }
        }
        from.deserialize_seq(IdsVisitor)
    }
}
