//! Code that panics: a 500, and everything else goes on.

use crate::support::{Service, Shelf, cart};

#[test]
fn bug_j13_a_panic_is_a_500_that_says_nothing() {
    let shelf = Shelf::with_cart();
    let service = Service::over(&shelf);
    let mut client = service.client();
    shelf.panic(true);
    for _ in 0..2 {
        let answer = client.get("/deals/5");
        answer.problem(500);
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
    client.put("/deals/5", &cart().to_string()).problem(500);
    client.delete("/deals/5").problem(500);
    client.get("/readyz").problem(500);

    shelf.panic(false);
    assert_eq!(client.get("/deals/5").json(), cart());
    assert_eq!(service.client().get("/readyz").status, 200);
    service.stop();
    service.join();
}
