// The reverse proxy of Go's standard library before an MCP server, on one processor: `reverse-proxy
// http://127.0.0.1:<port>`. Prints its port.
package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
)

func main() {
	runtime.GOMAXPROCS(1)
	target, err := url.Parse(os.Args[1])
	if err != nil {
		panic(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			request.Out.Header.Del("Authorization")
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 512},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, proxy))
}
