package io.fairlead.benchmarks.plot;

import java.awt.Color;

/** Colours of all drawings. */
final class Look {
    static final Color INK = new Color(0x1b2530);
    static final Color GRID = new Color(0xe1e6ec);

    private Look() {}
}
