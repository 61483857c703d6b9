/** What the suites of the worker API and of the layers share, hidden from everyone else. */
@NullMarked
package io.fairlead.testkit.internal;

import org.jspecify.annotations.NullMarked;
