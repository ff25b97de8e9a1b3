//! Values that are made of elements.

/// A value that is made of the elements of a stream, and gives them again.
///
/// `Vec<T>` and `Box<[T]>` are; `T` is cloned for each who follows, so let it be an `Arc` if it is
/// large. A type of your own may keep less than it was given:
///
/// ```
/// use larder_engine::Series;
///
/// /// Of a stream of totals only the last is worth keeping.
/// struct Total(Option<u64>);
///
/// impl Series for Total {
///     type Item = u64;
///
///     fn of(totals: Vec<u64>) -> Self {
///         Self(totals.last().copied())
///     }
///
///     fn item(&self, at: usize) -> Option<u64> {
///         self.0.filter(|_| at == 0)
///     }
/// }
/// assert_eq!(Total::of(vec![1, 3]).item(0), Some(3));
/// ```
pub trait Series: Send + Sync + 'static {
    /// An element.
    type Item: Clone + Send + Sync + 'static;

    /// The value of all elements that a source gave, in their order.
    fn of(items: Vec<Self::Item>) -> Self;

    /// The element at this place; `None` after the last.
    fn item(&self, at: usize) -> Option<Self::Item>;
}

impl<T: Clone + Send + Sync + 'static> Series for Vec<T> {
    type Item = T;

    fn of(items: Self) -> Self {
        items
    }

    fn item(&self, at: usize) -> Option<T> {
        self.get(at).cloned()
    }
}

impl<T: Clone + Send + Sync + 'static> Series for Box<[T]> {
    type Item = T;

    fn of(items: Vec<T>) -> Self {
        items.into()
    }

    fn item(&self, at: usize) -> Option<T> {
        self.get(at).cloned()
    }
}
