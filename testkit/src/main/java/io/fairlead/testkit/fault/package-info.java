/** A decorator that makes any transport fail where a test wants it to. */
@NullMarked
package io.fairlead.testkit.fault;

import org.jspecify.annotations.NullMarked;
