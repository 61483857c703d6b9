package io.fairlead.spring.test;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.spring.FairleadService;
import io.fairlead.spring.test.StockApplication.Shelves;
import io.fairlead.spring.test.StockApplication.Stock;

/** What a scan of the slice finds. */
@FairleadService
class StockService implements Stock {
    private final Shelves shelves;

    StockService(Shelves shelves) {
        this.shelves = shelves;
    }

    @Override
    public int count(String item) {
        if (item.isEmpty()) {
            throw new RequestException(RequestStatus.INVALID_ARGUMENT, "no item; name one");
        }
        return shelves.count(item);
    }
}
