//! Elementary functions from plain IEEE operations, so that no maths library enters a result.
