/** The suites of what is built on the worker API: nodes and publish-subscribe. Begin with {@link io.fairlead.testkit.layers.LayerSuites}. */
@NullMarked
package io.fairlead.testkit.layers;

import org.jspecify.annotations.NullMarked;
